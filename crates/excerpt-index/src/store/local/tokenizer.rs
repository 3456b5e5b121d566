//! Our [`Analyzer`] as a tokenizer of the keyword index.

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::analysis::{Analyzer, Purpose, Term, Terms};

/// Its name in the schema of the index.
pub(super) const NAME: &str = "excerpt";

/// The tokenizer of documents.
pub(super) fn of_documents() -> TextAnalyzer {
    TextAnalyzer::builder(Analyzed(Analyzer::new(Purpose::Document))).build()
}

#[derive(Clone)]
struct Analyzed(Analyzer);

impl Tokenizer for Analyzed {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream {
            terms: self.0.terms(text),
            token: Token::default(),
        }
    }
}

struct Stream<'a> {
    terms: Terms<'a>,
    token: Token,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some(Term {
            text,
            bytes,
            position,
            positions,
        }) = self.terms.advance()
        else {
            return false;
        };
        let token = &mut self.token;
        token.text.clear();
        token.text.push_str(text);
        (token.offset_from, token.offset_to) = (bytes.start, bytes.end);
        (token.position, token.position_length) = (position, positions);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
