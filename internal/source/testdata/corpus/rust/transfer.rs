//! Life of one transfer between two accounts.

use std::fmt::Display;

use crate::ledger::{Account, AccountId, errors::TransferError as Failure};

/// Where a transfer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TransferState {
    #[doc(alias = "new")]
    Draft = 1,
    Signed = 2,
    Sent = 4, // pub enum Fake { A }
    Settled = 8,
    Failed = 0x10
}

/// Only for the audit trail of this crate.
pub(crate) enum AuditPhase { Open, Shut }

/// How far a batch has come.
pub enum BatchPhase<T> { Collecting(Vec<T>), Closing { left: usize, since: u64 }, Done }

/// A page of the account's statement.
pub enum Statement { Line, Page(u16) }

pub struct Transfer<'a> {
    pub id: u64,
    state: TransferState,
    pub memo: &'a str,
    from: Account,
    pub to: AccountId
}

impl<'a> Transfer<'a> {
    /// Signs the draft.
    ///
    /// Requires: the key belongs to the payer
    /// and has not been revoked.
    ///
    /// # Errors
    ///
    /// - `NotDraft` if it has been signed before.
    /// - `BadKey` if `key` is shorter than
    ///   16 bytes.
    pub fn sign(&mut self, key: &[u8]) -> Result<(), Failure> {
        if self.state != TransferState::Draft {
            return Err(Failure::NotDraft { id: self.id });
        }
        let needed = 16;
        if key.len() < needed { return Err(Failure::BadKey(key.len())) }
        self.state = TransferState::Signed;
        Ok(())
    }

    /// One step further, if there is one.
    pub fn advance(&mut self) {
        match self.state {
            TransferState::Signed => self.state = TransferState::Sent,
            TransferState::Sent => {
                self.memo = "self.state = TransferState::Draft;";
                self.state = TransferState::Settled;
            }
            TransferState::Draft | TransferState::Settled => {}
            TransferState::Failed => unreachable!("match self.state {{ Draft => Sent }}"),
        }
    }

    pub fn fail<W: Display + ?Sized>(&mut self, why: &W) -> Result<(), Failure> {
        if self.state == TransferState::Settled {
            return Err(Failure::TooLate);
        }
        log::warn!("{}: {}", self.id, why);
        self.state = TransferState::Failed;
        Ok(())
    }

    pub fn retry(&mut self, again: bool) -> Result<(), Failure> {
        if self.state != TransferState::Failed { return Err(Failure::NotFailed); }
        if again {
            self.state = TransferState::Sent;
        } else {
            self.state = TransferState::Draft;
        }
        Ok(())
    }
}
