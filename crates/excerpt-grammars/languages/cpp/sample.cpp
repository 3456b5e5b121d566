// A licence would stand here.

#include <map>
#include <string>

using namespace std::literals;

namespace shelf {

class Reader;

/// How a shelf is sorted.
enum class Order { Title, Author };

/// A shelf.
template <typename T>
class Shelf : public Place {
public:
    using Books = std::map<std::string, T>;

    explicit Shelf(Books books) : books_(std::move(books)) {}
    virtual ~Shelf() = default;

    // Puts a book on the shelf.
    [[nodiscard]]
    bool put(const std::string &title, T book) {
        if (books_.size() >= kCapacity) {
            return false;
        }
        else {
            books_.emplace(title, std::move(book));
        }
        auto tell = [&](const Reader &reader) {
            reader.told(title);
        };
        return true;
    }

    T &operator[](const std::string &title);
    const T &at(const std::string &title) const;

    struct Label {
        std::string text;
        int length() const { return text.size(); }
    };

private:
    static constexpr std::size_t kCapacity = 40;
    Books books_;
};

template <typename T>
T &Shelf<T>::operator[](const std::string &title) {
    return books_[title];
}

template <typename T>
concept Bound = requires(T book) {
    book.pages();
};

namespace {
int count = 0;
}  // namespace

}  // namespace shelf

extern "C" {
// Known to C.
int shelf_count(void) { return shelf::count; }
}

int broken(int a {
    return a;
}

TEST(Shelf, HoldsABook) {
    EXPECT_EQ(1, 1);
}
