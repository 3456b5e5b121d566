-- A licence would stand here.

local json = require("json")
local reader = require "reader"

-- How many books a shelf holds.
local CAPACITY = 40

local Shelf = {}
Shelf.__index = Shelf

--- Makes a shelf.
function Shelf.new(books)
  local self = setmetatable({}, Shelf)
  self.books = books or {}
  return self
end

-- Puts a book on the shelf.
function Shelf:put(title, book)
  if #self.books >= CAPACITY then
    error("full")
  elseif self.books[title] then
    return false
  else
    -- A new one.
    self.books[title] = book
  end
  for _, one in ipairs(reader.all()) do
    one:tell(title)
  end
  repeat
    local more = reader.next()
  until not more
  return true
end

Shelf.clear = function(self)
  self.books = {}
end

local function count(shelf)
  local n = 0
  for _ in pairs(shelf.books) do n = n + 1 end
  return n
end

local settings = {
  name = "shelf",
  order = { "title", "author" },
  label = function(book)
    return book.title
  end,
}

function test_put()
  assert(count(Shelf.new()) == 0)
end

local function broken(a
  return a
end

return Shelf
