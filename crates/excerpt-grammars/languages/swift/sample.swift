// A licence would stand here.

import Foundation
@testable import Shelves

/// How many books a shelf holds.
let capacity = 40

/// What can be lent.
protocol Lendable: AnyObject {
    associatedtype Reader
    var count: Int { get }
    func lend(_ title: String) -> Reader?
}

enum Order: String {
    case title
    case author

    var label: String { rawValue.capitalized }
}

struct Label {
    let text: String
}

/// A shelf.
@MainActor
public final class Shelf<Book> {
    private var books: [String: Book] = [:]

    public var isFull: Bool {
        return books.count >= capacity
    }

    init(books: [String: Book] = [:]) {
        self.books = books
    }

    deinit {
        print("gone")
    }

    // Puts a book on the shelf.
    @discardableResult
    func put(_ book: Book, as title: String) throws -> Bool {
        guard !isFull else {
            throw ShelfError.full
        }
        if books[title] != nil {
            return false
        } else {
            books[title] = book
        }
        readers.forEach { reader in
            reader.tell(title)
        }
        return true
    }

    subscript(title: String) -> Book? {
        books[title]
    }
}

extension Shelf: CustomStringConvertible {
    var description: String { "\(books.count) books" }
}

typealias Shelves = [Shelf<String>]

func broken(a: Int {
    return a
}

final class ShelfTests: XCTestCase {
    func testPut() throws {
        XCTAssertTrue(true)
    }
}
