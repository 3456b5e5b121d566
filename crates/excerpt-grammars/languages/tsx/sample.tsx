import React, { useState } from "react";
import { Shelf } from "./shelf";

type Props = { shelf: Shelf; onTake?: (title: string) => void };

/** A button to take a book. */
function Take({ title }: { title: string }) {
  return <button>{title}</button>;
}

// The list of all books.
export const Books: React.FC<Props> = ({ shelf, onTake }) => {
  const [open, setOpen] = useState(false);

  const titles = shelf.titles().filter((title) => title.length > 0);

  return (
    <section className="books">
      <h1 onClick={() => setOpen(!open)}>Books</h1>
      {titles.map((title) => (
        <article key={title}>
          <Take title={title} />
          <p>
            A book called <em>{title}</em>.
          </p>
        </article>
      ))}
      {open && <p>That is all.</p>}
    </section>
  );
};

export default class Page extends React.Component<Props> {
  state = { count: 0 };

  render() {
    return <Books {...this.props} />;
  }
}

const broken = <p>never closed;
