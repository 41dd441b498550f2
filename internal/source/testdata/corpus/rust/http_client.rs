#![allow(async_fn_in_trait, clippy::type_complexity)]

extern crate bytes;

use std::{future::Future, pin::Pin, sync::{Arc, atomic::{AtomicU64, Ordering}}, time::Duration};
use serde::{Serialize, de::DeserializeOwned};
use tower_service::Service as _;

mod pool;
pub mod retry;

pub use self::pool::{ConnectionPool, PoolConfig as Config};
pub use self::retry::*;
pub(crate) use http::HeaderMap;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Middleware<Req, Res = Response>: Send + Sync + 'static
where
    Req: Serialize
{
    type Error: std::error::Error;
    const NAME: &'static str = "pub fn anonymous()";

    /// Handles one request.
    ///
    /// Ensures: `next` is called at most once
    fn handle<'a>(&'a self, req: Req, next: &'a dyn Fn(Req) -> BoxFuture<'a, Res>) -> BoxFuture<'a, Result<Res, Self::Error>>;

    fn name(&self) -> &str { Self::NAME }

    async fn warm_up(&mut self, hosts: impl IntoIterator<Item = (String, u16)>) -> usize {
        hosts.into_iter().filter(|(host, port)| !host.is_empty() && *port > 0).count()
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    #[error("bad url {0}: pub fn x()")]
    BadUrl(String),
    #[error("longer than {limit}")] TooLong { limit: usize },
    Io(#[from] std::io::Error),
    Timeout
}

pub struct Response(pub u16, Vec<u8>, pub(crate) bool);

#[derive(Clone)]
pub struct Client<S> { inner: Arc<Inner<S>>, pub timeout: Duration }

struct Inner<S> { service: S, sent: AtomicU64 }

impl<S, F> Client<S>
where
    S: Fn(String) -> F + Clone,
    F: Future<Output = Result<Response, HttpError>>,
{
    /// Gets a document.
    ///
    /// # Errors
    ///
    /// Fails if the host cannot be reached.
    ///
    /// Fails also if the body is no valid
    /// JSON for `T`.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # let client = Client::default();
    /// client.get::<u8>("http://localhost", &[]).await;
    /// ```
    pub async fn get<T: DeserializeOwned>(&self, url: &str, query: &[(&str, String)]) -> Result<T, HttpError> {
        if url.is_empty() || !url.starts_with("http") {
            return Err(HttpError::BadUrl(url.to_owned()));
        }
        if query.iter().any(|(key, _)| key.len() > 64) {
            return Err(HttpError::TooLong { limit: 64 });
        }
        self.inner.sent.fetch_add(1, Ordering::Relaxed);
        if self.timeout.is_zero() { return Err(HttpError::Timeout); }
        let Response(_code, body, _) = (self.inner.service)(url.to_string()).await?;
        serde_json::from_slice(&body).map_err(|e| HttpError::Io(e.into()))
    }

    pub fn on_response(self, hook: impl Fn(&Response) -> bool + Send + 'static) -> impl FnOnce(u16) -> Self {
        move |code| { hook(&Response(code, vec![], true)); self }
    }
}
