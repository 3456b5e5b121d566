//! How well an index answers: searches with known answers, and their scores.
//!
//! A [`QuestionSet`] is read from a folder (`set.rs`) with its documents (`corpus.rs`). Each
//! question is searched for in an index and its ranked chunks are measured (`measure.rs`). A
//! [`Report`] has the means with intervals (`interval.rs`), and two reports can be
//! [compared](Report::compare). A set is also made from any folder ([`Mine`], in `mine/`).

mod corpus;
mod interval;
mod measure;
mod mine;
mod report;
mod set;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::index::Index;
use crate::model::{Error, Filter, Note, Query, Rank, Ranking, Result};

pub use interval::Interval;
pub use measure::{MEASURES, Passage, Rule};
pub use mine::{Mine, MineError, Mined};
pub use report::{Comparison, Difference, Report, ScoredQuestion};
pub use set::{LeftOut, Question, QuestionSet, SetError};

/// How many chunks to request at first, and at most: enough to fill the reading budget, however
/// small they are.
const DEPTHS: [usize; 3] = [50, 200, 1_000];

/// How long a question waits for the model that reorders hits. An answer without it would count for
/// another ranking, so it is an error.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Searches `index`, which contains the documents of `set`, for all its questions with this
/// `ranking`.
///
/// # Errors
///
/// Those of [`Index::search`] and [`Index::status`].
pub fn evaluate(set: &QuestionSet, index: &Index, rule: Rule, ranking: &Ranking) -> Result<Report> {
    let status = index.status()?;
    let mut questions = Vec::with_capacity(set.questions.len());
    for question in &set.questions {
        let (ranked, weak) = ranked(set, question, index, ranking)?;
        let scores = match question.answers.is_empty() {
            true => BTreeMap::from([(measure::WEAK.to_string(), f64::from(u8::from(weak)))]),
            false => {
                let mut scores = measure::scores(&ranked, &question.answers, rule);
                scores.insert(measure::KEPT.to_string(), f64::from(u8::from(!weak)));
                scores
            }
        };
        questions.push(ScoredQuestion {
            id: question.id.clone(),
            query: question.query.clone(),
            category: question.category.clone(),
            rank: measure::rank(&ranked, &question.answers, rule),
            scores,
        });
    }
    Ok(Report {
        set: set.name.clone(),
        rule,
        documents: status.documents,
        chunks: status.chunks,
        mean_size: index.mean_size()?,
        questions,
        left_out: set.left_out.clone(),
    })
}

/// The best chunks for a question, best first, and whether the first is a weak match or missing. A
/// question without a searchable word finds nothing.
fn ranked(
    set: &QuestionSet,
    question: &Question,
    index: &Index,
    ranking: &Ranking,
) -> Result<(Vec<Passage>, bool)> {
    let filter = match &question.scope {
        Some(scope) => Filter::default().path(scope),
        None => Filter::default(),
    };
    let query = Query::new(&question.query)
        .rank(Rank::Chunks)
        .per_document(1)
        .rerank_wait(PATIENCE)
        .ranking(ranking.clone())
        .within(filter);
    let mut ranked = Vec::new();
    let mut weak = true;
    for depth in DEPTHS {
        let answer = match index.search(&query.clone().limit(depth)) {
            Err(Error::EmptyQuery { .. }) => return Ok((Vec::new(), true)),
            answer => answer?,
        };
        for note in &answer.notes {
            if let Note::NotReranked { reason } = note {
                let reason = reason.clone();
                return Err(Error::NotReranked { reason });
            }
        }
        weak = answer.chunks().next().is_none_or(|hit| hit.weak);
        let passages = answer.chunks().map(|hit| Passage {
            path: hit.path.clone(),
            chars: Some(set.chars(&hit.path, hit.span.bytes.clone())),
        });
        ranked = passages.collect();
        if ranked.len() < depth || measure::read(&ranked) >= measure::BUDGET {
            break;
        }
    }
    Ok((ranked, weak))
}
