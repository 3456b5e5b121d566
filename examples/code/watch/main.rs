//! Reads levels from standard input and prints when an alarm would ring.
//!
//! Each line is a time and a level in metres above chart datum, separated by a comma, or a time and
//! the word `silence`: somebody pressed the button. Lines that are neither are counted and skipped,
//! because a gauge that sends nonsense once must not stop the siren.

mod alarm;
mod smooth;

use std::io::{self, BufRead};
use std::process::ExitCode;

use alarm::{Alarm, State};
use smooth::Median;

/// How many readings a level is the median of.
const SMOOTHING: usize = 5;

/// One line of input.
struct Reading<'a> {
    time: &'a str,
    level: f64,
}

/// Why a line is not used.
#[derive(Debug, PartialEq)]
enum Rejected {
    /// There is no comma, or no number after it.
    Malformed,
    /// The level is one that no water has here.
    OutOfRange(f64),
}

/// Reads one line. Levels outside of −1 to 10 metres are impossible at this station.
fn parse_reading(line: &str) -> Result<Reading<'_>, Rejected> {
    let (time, level) = line.split_once(',').ok_or(Rejected::Malformed)?;
    let level: f64 = level.trim().parse().map_err(|_| Rejected::Malformed)?;
    if !(-1.0..=10.0).contains(&level) {
        return Err(Rejected::OutOfRange(level));
    }
    Ok(Reading { time, level })
}

fn main() -> ExitCode {
    let Some(limit) = std::env::args().nth(1).and_then(|text| text.parse().ok()) else {
        eprintln!("usage: watch LIMIT < readings.csv");
        return ExitCode::from(2);
    };
    let mut alarm = Alarm::new(limit);
    let mut median = Median::new(SMOOTHING);
    let mut level = f64::NAN;
    let mut rejected = 0;
    let mut has_rung = false;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        if let Some((time, "silence")) = line.split_once(',') {
            if alarm.silence(level) {
                println!("{time} {level:.2} m {}", State::Silenced);
            }
            continue;
        }
        let Ok(reading) = parse_reading(&line) else {
            rejected += 1;
            continue;
        };
        level = median.push(reading.level);
        if let Some(state) = alarm.next(level) {
            println!("{} {level:.2} m {state}", reading.time);
            has_rung |= state == State::Ringing;
        }
    }
    if rejected > 0 {
        eprintln!("lines that are no readings: {rejected}");
    }
    ExitCode::from(u8::from(has_rung))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_a_time_and_a_level() {
        let reading = parse_reading("2026-03-04T21:14Z, 5.80").unwrap();
        assert_eq!((reading.time, reading.level), ("2026-03-04T21:14Z", 5.8));
    }

    #[test]
    fn an_impossible_level_is_rejected() {
        assert_eq!(
            parse_reading("x,11.84").err(),
            Some(Rejected::OutOfRange(11.84))
        );
        assert_eq!(parse_reading("nonsense").err(), Some(Rejected::Malformed));
    }
}
