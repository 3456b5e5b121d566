// A licence would stand here.

package org.example.shelf

import scala.collection.mutable
import org.example.people.{Person, Reader => Borrower}

/** What can be lent. */
trait Lendable[T]:
  def lend(title: String): Option[T]

enum Order:
  case Title, Author

case class Label(text: String, number: Int = 0)

object Shelf {
  val Capacity = 40

  def empty[T]: Shelf[T] = new Shelf[T](Person.nobody)
}

/**
 * A shelf.
 */
@deprecated("use Library", "1.0")
class Shelf[T](owner: Person) extends Lendable[T] {
  private val books = mutable.Map.empty[String, T]
  type Titles = List[String]

  // Puts a book on the shelf.
  def put(title: String, book: T): Boolean = {
    if (books.size >= Shelf.Capacity) {
      throw new IllegalStateException("full")
    } else {
      books(title) = book
    }
    title match {
      case "a" => println("first")
      case other => println(other)
    }
    true
  }

  override def lend(title: String): Option[T] = books.remove(title)

  def fullness: Double =
    val all = books.size
    all.toDouble / Shelf.Capacity
}

given Ordering[Label] = Ordering.by(_.text)

extension (title: String)
  def asTitle: String = title.trim

def broken(a: Int = {
  a
}

class ShelfSpec extends AnyFunSuite {
  test("a book is put once") {
    assert(true)
  }
}
