// A licence would stand here.

package org.example.shelf

import kotlin.math.max
import org.example.people.Reader as Person

/** How many books a shelf holds. */
const val CAPACITY = 40

interface Lendable<T> {
    val count: Int

    fun lend(title: String): T?
}

enum class Order(val label: String) {
    TITLE("title"),
    AUTHOR("author");

    fun other() = if (this == TITLE) AUTHOR else TITLE
}

data class Label(val text: String, val number: Int = 0)

/**
 * A shelf.
 */
@Suppress("unused")
class Shelf<T>(private val owner: Person) : Lendable<T> {
    private val books = mutableMapOf<String, T>()

    override val count: Int
        get() = books.size

    init {
        println("made")
    }

    constructor() : this(Person.nobody())

    // Puts a book on the shelf.
    @Throws(IllegalStateException::class)
    fun put(title: String, book: T): Boolean {
        if (count >= CAPACITY) {
            throw IllegalStateException("full")
        } else if (title in books) {
            return false
        }
        books[title] = book
        when (title) {
            "a" -> println("first")
            else -> println(title)
        }
        return true
    }

    override fun lend(title: String): T? = books.remove(title)

    companion object {
        fun <T> empty() = Shelf<T>()
    }
}

object Library {
    val shelves = listOf<Shelf<String>>()
}

typealias Shelves = List<Shelf<String>>

fun String.asTitle(): String = trim()

fun broken(a: Int {
    return a
}

class ShelfTest {
    @Test
    fun `a book is put once`() {
        assert(true)
    }
}
