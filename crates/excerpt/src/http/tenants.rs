//! The clients that have made requests, each as it was made from its token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use excerpt_service::access::Token;

/// A `T` for each token that was used.
pub(super) struct Tenants<T>(Mutex<HashMap<String, (Token, Arc<T>)>>);

impl<T> Default for Tenants<T> {
    fn default() -> Self {
        Tenants(Mutex::default())
    }
}

impl<T> Tenants<T> {
    fn all(&self) -> MutexGuard<'_, HashMap<String, (Token, Arc<T>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client with this token, unless what the token grants has changed.
    pub(super) fn known(&self, token: &Token) -> Option<Arc<T>> {
        let all = self.all();
        let (known, tenant) = all.get(token.id())?;
        (known == token).then(|| Arc::clone(tenant))
    }

    /// Keeps a client that was `made`, and returns it, or the one that another request has made
    /// meanwhile: a token has one. The clients of tokens whose ids are no longer valid are dropped.
    pub(super) fn get_or_insert(
        &self,
        token: &Token,
        made: T,
        is_valid: impl Fn(&str) -> bool,
    ) -> Arc<T> {
        let mut all = self.all();
        if let Some((known, tenant)) = all.get(token.id())
            && known == token
        {
            return Arc::clone(tenant);
        }
        let tenant = Arc::new(made);
        all.retain(|id, _| is_valid(id));
        all.insert(token.id().to_string(), (token.clone(), Arc::clone(&tenant)));
        tenant
    }
}

#[cfg(test)]
mod tests {
    use excerpt_service::access::NewToken;

    use super::*;

    #[test]
    fn a_client_is_made_once_and_dropped_with_its_token() {
        let tokens = [(); 3].map(|()| NewToken::of_process().unwrap().token);
        let tenants = Tenants::default();
        assert_eq!(tenants.known(&tokens[0]), None);
        let all = |_: &str| true;
        assert_eq!(*tenants.get_or_insert(&tokens[0], 0, all), 0);
        assert_eq!(
            *tenants.get_or_insert(&tokens[0], 10, all),
            0,
            "it was made before"
        );
        tenants.get_or_insert(&tokens[1], 1, all);
        tenants.get_or_insert(&tokens[2], 2, |id| id != tokens[1].id());
        assert_eq!(tenants.known(&tokens[1]), None, "it was revoked");
        assert_eq!(tenants.known(&tokens[0]).as_deref(), Some(&0));
        assert_eq!(tenants.known(&tokens[2]).as_deref(), Some(&2));
        let mut changed = tokens[0].clone();
        changed.grant.write = !changed.grant.write;
        assert_eq!(tenants.known(&changed), None);
        assert_eq!(*tenants.get_or_insert(&changed, 3, all), 3);
    }
}
