//! The states of an alarm, and what leads from one to the next.

use std::fmt;

/// Where an alarm is between quiet water and a flood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The level is below the limit.
    Quiet,
    /// The limit was reached, but not often enough in a row.
    Pending,
    /// The bells are on.
    Ringing,
    /// A person switched the bells off while the level was high.
    Silenced,
}

impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            State::Quiet => "quiet",
            State::Pending => "pending",
            State::Ringing => "ringing",
            State::Silenced => "silenced",
        })
    }
}

/// An alarm on the level of one gauge.
pub struct Alarm {
    limit: f64,
    margin: f64,
    confirm: u32,
    state: State,
    /// How many levels in a row have spoken for leaving the present state.
    in_a_row: u32,
    /// The level at which the alarm was silenced.
    silenced_at: f64,
}

impl Alarm {
    /// How far the water has to rise after an alarm was silenced until it rings again, in metres.
    const NEW_SITUATION: f64 = 0.20;

    /// An alarm with the usual margin of 10 cm and three readings to confirm.
    pub fn new(limit: f64) -> Alarm {
        Alarm {
            limit,
            margin: 0.10,
            confirm: 3,
            state: State::Quiet,
            in_a_row: 0,
            silenced_at: f64::NAN,
        }
    }

    /// Takes the next level, and returns the new state if the state has changed.
    pub fn next(&mut self, level: f64) -> Option<State> {
        let before = self.state;
        match self.state {
            State::Quiet | State::Pending => self.rise(level),
            State::Ringing | State::Silenced => self.fall(level),
        }
        (self.state != before).then_some(self.state)
    }

    /// Switches the bells off. Returns whether there was anything to silence.
    pub fn silence(&mut self, level: f64) -> bool {
        if self.state != State::Ringing {
            return false;
        }
        self.state = State::Silenced;
        self.silenced_at = level;
        self.in_a_row = 0;
        true
    }

    /// Counts levels at the limit: one makes the alarm pending, `confirm` in a row make it ring.
    fn rise(&mut self, level: f64) {
        if level < self.limit {
            self.change(State::Quiet);
            return;
        }
        self.in_a_row += 1;
        if self.in_a_row >= self.confirm {
            self.change(State::Ringing);
        } else {
            self.state = State::Pending;
        }
    }

    /// Counts levels below the limit and its margin: `confirm` in a row end the alarm.
    fn fall(&mut self, level: f64) {
        if self.state == State::Silenced && level >= self.silenced_at + Self::NEW_SITUATION {
            self.change(State::Ringing);
            return;
        }
        if level >= self.limit - self.margin {
            self.in_a_row = 0;
            return;
        }
        self.in_a_row += 1;
        if self.in_a_row >= self.confirm {
            self.change(State::Quiet);
        }
    }

    fn change(&mut self, state: State) {
        self.state = state;
        self.in_a_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(alarm: &mut Alarm, levels: &[f64]) -> Vec<State> {
        levels
            .iter()
            .filter_map(|level| alarm.next(*level))
            .collect()
    }

    #[test]
    fn a_gull_does_not_ring_the_siren() {
        let mut alarm = Alarm::new(5.8);
        assert_eq!(
            states(&mut alarm, &[5.2, 7.9, 5.2]),
            [State::Pending, State::Quiet]
        );
    }

    #[test]
    fn three_in_a_row_ring_it() {
        let mut alarm = Alarm::new(5.8);
        assert_eq!(
            states(&mut alarm, &[5.8, 5.81, 5.83]),
            [State::Pending, State::Ringing]
        );
    }

    #[test]
    fn waves_around_the_limit_do_not_end_it() {
        let mut alarm = Alarm::new(5.8);
        states(&mut alarm, &[5.8, 5.8, 5.8]);
        assert_eq!(states(&mut alarm, &[5.75, 5.85, 5.72, 5.78]), []);
        assert_eq!(states(&mut alarm, &[5.6, 5.6, 5.6]), [State::Quiet]);
    }

    #[test]
    fn what_was_silenced_rings_again_when_the_water_rises_further() {
        let mut alarm = Alarm::new(5.8);
        assert!(!alarm.silence(5.0));
        states(&mut alarm, &[5.8, 5.8, 5.8]);
        assert!(alarm.silence(5.83));
        assert_eq!(states(&mut alarm, &[5.9, 5.95, 6.03]), [State::Ringing]);
    }
}
