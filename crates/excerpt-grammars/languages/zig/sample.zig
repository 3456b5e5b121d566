//! A shelf of books, as a sample of Zig.

const std = @import("std");
const Reader = @import("reader.zig").Reader;

/// How many books a shelf holds.
pub const capacity: usize = 40;

var lent: u32 = 0;

pub const Error = error{
    Full,
    Known,
};

/// How a shelf is sorted.
pub const Order = enum {
    title,
    author,

    pub fn label(self: Order) []const u8 {
        return @tagName(self);
    }
};

/// A shelf.
pub const Shelf = struct {
    books: std.StringHashMap([]const u8),
    allocator: std.mem.Allocator,

    pub fn init(allocator: std.mem.Allocator) Shelf {
        return .{ .books = std.StringHashMap([]const u8).init(allocator), .allocator = allocator };
    }

    // Puts a book on the shelf.
    pub fn put(self: *Shelf, title: []const u8, book: []const u8) !void {
        if (self.books.count() >= capacity) {
            return Error.Full;
        } else if (self.books.contains(title)) {
            return Error.Known;
        } else {
            try self.books.put(title, book);
        }
        for (Reader.all()) |reader| {
            reader.tell(title);
        }
        switch (title.len) {
            0 => lent = 0,
            else => lent += 1,
        }
    }

    const Label = struct {
        text: []const u8,
    };
};

fn broken(a: u8 u8 {
    return a;
}

test "a book is put once" {
    try std.testing.expect(lent == 0);
}
