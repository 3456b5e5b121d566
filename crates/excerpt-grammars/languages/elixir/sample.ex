# A licence would stand here.

defmodule Library.Shelf do
  @moduledoc """
  A shelf of books.
  """

  use GenServer
  alias Library.{Book, Reader}
  alias Library.People.Person, as: Owner
  import Enum, only: [count: 1]

  # How many books a shelf holds.
  @capacity 40

  defstruct books: %{}, owner: nil

  @type t :: %__MODULE__{books: map()}

  @doc """
  Puts a book on the shelf.
  """
  @spec put(t(), String.t(), Book.t()) :: t()
  def put(%__MODULE__{books: books}, _title, _book) when map_size(books) >= @capacity do
    raise "full"
  end

  def put(%__MODULE__{books: books} = shelf, title, book) do
    # The readers are told.
    Enum.each(Reader.all(), fn reader ->
      Reader.tell(reader, title)
    end)

    case Map.fetch(books, title) do
      {:ok, _known} ->
        shelf

      :error ->
        %{shelf | books: Map.put(books, title, book)}
    end
  end

  defp touch(shelf), do: shelf

  defmacro shelf(do: block) do
    quote do: unquote(block)
  end

  @impl true
  def init(owner), do: {:ok, %__MODULE__{owner: Owner.name(owner)}}
end

defimpl String.Chars, for: Library.Shelf do
  def to_string(shelf), do: "#{map_size(shelf.books)} books"
end

defmodule Library.ShelfTest do
  use ExUnit.Case

  describe "put" do
    test "a book is put once" do
      assert count([]) == 0
    end
  end
end

def broken(a, do
  a
end
