<?php

declare(strict_types=1);

namespace Library\Shelves;

use Library\People\Reader;
use Library\{Book, Cover as Jacket};
use function Library\helpers\tell;

require_once 'helpers.php';

const CAPACITY = 40;

/** What can be lent. */
interface Lendable
{
    public function lend(string $title): ?Book;
}

trait Counts
{
    private int $count = 0;
}

enum Order: string
{
    case Title = 'title';
    case Author = 'author';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

/**
 * A shelf.
 */
#[Entity]
final class Shelf extends Place implements Lendable
{
    use Counts;

    public const NAME = 'shelf';
    protected array $books = [];

    public function __construct(private readonly Reader $owner) {}

    // Puts a book on the shelf.
    #[Pure]
    public function put(string $title, Book $book): void
    {
        if (count($this->books) >= CAPACITY) {
            throw new Full();
        } elseif (isset($this->books[$title])) {
            return;
        } else {
            $this->books[$title] = $book;
        }
        foreach ($this->readers as $reader) {
            tell($reader, function () use ($title) {
                return $title;
            });
        }
    }

    public function testPut(): void
    {
        assert($this->books === []);
    }
}

function shelve(Book $book): Shelf
{
    return new Shelf($book);
}

function broken(int $a {
    return $a;
}
?>
<p>Text around the code.</p>
