/*
 * A licence would stand here.
 */

package org.example.shelf;

import java.util.List;
import java.util.Map;
import static java.util.Objects.requireNonNull;
import org.example.people.*;

/**
 * A shelf.
 */
@SuppressWarnings("unused")
public final class Sample<T extends Book> implements Place<T> {
    /** How many books a shelf holds. */
    public static final int CAPACITY = 40;

    private final Map<String, T> books;

    static {
        System.out.println("loaded");
    }

    public Sample(Map<String, T> books) {
        this.books = requireNonNull(books);
    }

    // Puts a book on the shelf.
    @Override
    public void put(String title, T book) throws FullException {
        if (books.size() >= CAPACITY) {
            throw new FullException();
        } else if (books.containsKey(title)) {
            throw new IllegalStateException(title);
        }
        try {
            books.put(title, book);
        } catch (RuntimeException error) {
            // Nothing is to be done.
            error.printStackTrace();
        } finally {
            books.size();
        }
        Runnable tell = new Runnable() {
            @Override
            public void run() {
                System.out.println(title);
            }
        };
    }

    enum Order {
        TITLE, AUTHOR;

        Order other() { return this == TITLE ? AUTHOR : TITLE; }
    }

    record Label(String text, int number) {}

    interface Listener {
        void told(String title);
    }

    @Test
    void aBookIsPutOnce() {
        assert books.isEmpty();
    }

    void broken(int a {
        return;
    }
}
