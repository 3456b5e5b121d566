# frozen_string_literal: true

require "json"
require_relative "reader"

# Everything about books.
module Library
  CAPACITY = 40

  # What can go wrong.
  class Full < StandardError; end

  # A shelf.
  class Shelf
    include Enumerable
    attr_reader :books

    class << self
      # Makes one from a file.
      def load(path)
        new(JSON.parse(File.read(path)))
      end
    end

    def initialize(books = {})
      @books = books
    end

    # Puts a book on the shelf.
    def put(title, book)
      if @books.size >= CAPACITY
        raise Full
      elsif @books.key?(title)
        warn "known"
      else
        @books[title] = book
      end
      Reader.all.each do |reader|
        # Nobody waits.
        reader.tell(title)
      end
    rescue Full => error
      puts error.message
    ensure
      touch
    end

    def self.empty?
      true
    end

    private

    def touch; end
  end
end

def broken(a
  a
end

RSpec.describe Library::Shelf do
  context "when empty" do
    let(:shelf) { described_class.new }

    it "holds nothing" do
      expect(shelf.books).to be_empty
    end
  end
end

task :default do
  puts "done"
end
