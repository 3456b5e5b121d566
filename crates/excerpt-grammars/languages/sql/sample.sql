-- A licence would stand here.

-- The readers.
CREATE TABLE reader (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    joined DATE DEFAULT CURRENT_DATE -- by the clock of the server
);

/* The books, each on one shelf. */
CREATE TABLE IF NOT EXISTS library.book (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    shelf INTEGER REFERENCES shelf (id)
);

CREATE INDEX book_title ON library.book (title);

CREATE VIEW lent AS
SELECT reader.name, book.title
FROM loan
JOIN reader ON reader.id = loan.reader
JOIN library.book AS book ON book.id = loan.book
WHERE loan.returned IS NULL;

CREATE FUNCTION fullness(shelf INTEGER) RETURNS INTEGER AS $$
    SELECT count(*) FROM library.book WHERE book.shelf = shelf;
$$ LANGUAGE sql;

ALTER TABLE reader ADD COLUMN email TEXT;

INSERT INTO reader (id, name) VALUES
    (1, 'Ada'),
    (2, 'Grace'),
    (3, 'Edsger');

-- Who reads the most.
WITH counted AS (
    SELECT reader, count(*) AS books
    FROM loan
    GROUP BY reader
)
SELECT reader.name, counted.books
FROM counted
JOIN reader ON reader.id = counted.reader
ORDER BY counted.books DESC
LIMIT 10;

SELECT FROM FROM nowhere;

UPDATE reader SET name = 'Barbara' WHERE id = 3;
