// A licence would stand here.

using System;
using System.Collections.Generic;
using Titles = System.Collections.Generic.List<string>;

namespace Library.Shelves
{
    /// <summary>What can be lent.</summary>
    public interface ILendable
    {
        int Count { get; }
        object Lend(string title);
    }

    public enum Order
    {
        Title,
        Author,
    }

    public record Label(string Text, int Number);

    public delegate void Told(string title);

    /// <summary>A shelf.</summary>
    [Serializable]
    public sealed class Shelf<T> : ILendable where T : class
    {
        private const int Capacity = 40;
        private readonly Dictionary<string, T> books = new();

        public event Told OnTold;

        public int Count => books.Count;

        public string Name { get; set; } = "shelf";

        public Shelf(IEnumerable<T> books)
        {
            foreach (var book in books)
            {
                Put(book.ToString(), book);
            }
        }

        // Puts a book on the shelf.
        [Obsolete]
        public void Put(string title, T book)
        {
            if (books.Count >= Capacity)
            {
                throw new InvalidOperationException("full");
            }
            else
            {
                books[title] = book;
            }
            try
            {
                OnTold?.Invoke(title);
            }
            catch (Exception error)
            {
                Console.WriteLine(error);
            }
        }

        public object Lend(string title) => books[title];

        public static Shelf<T> operator +(Shelf<T> left, T right) => left;

        public T this[string title] => books[title];

        struct Place
        {
            public int Row;
        }

        void Broken(int a {
            return;
        }
    }

    public class ShelfTests
    {
        [Fact]
        public void ABookIsPutOnce()
        {
            Assert.True(true);
        }
    }
}
