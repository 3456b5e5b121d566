// Package shelf holds books, as a sample of Go.
package shelf

import (
	"errors"
	str "strings"

	_ "embed"
	"example.org/people/reader"
)

// Capacity is how many books a shelf holds.
const Capacity = 40

var (
	// ErrFull says that no place is left.
	ErrFull = errors.New("full")
	errKnown = errors.New("known") // never shown
)

// Lender lends books.
type Lender interface {
	Lend(title string) (*Book, error)
}

type Book struct {
	Title  string `json:"title"`
	Author string
}

type (
	// Titles by author.
	Titles map[string][]string
	Order  int
)

// Shelf is a shelf.
type Shelf[T any] struct {
	books map[string]T
}

// Put puts a book on the shelf.
func (s *Shelf[T]) Put(title string, book T) error {
	if len(s.books) >= Capacity {
		return ErrFull
	} else if _, known := s.books[title]; known {
		return errKnown
	}
	// The readers are told.
	go func() {
		for _, r := range reader.All() {
			r.Tell(title)
		}
	}()
	switch str.ToLower(title) {
	case "a":
		return nil
	default:
		s.books[title] = book
	}
	return nil
}

func New[T any]() *Shelf[T] {
	return &Shelf[T]{books: map[string]T{}}
}

func broken(a int {
	return
}

func TestPut(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		t.Log("put")
	})
}
