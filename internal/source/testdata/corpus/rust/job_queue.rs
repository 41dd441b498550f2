//! 작업 큐: jobs that wait for a worker.

use std::collections::BinaryHeap;
use std::time::Duration;

/// Status of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobStatus { Waiting, Running, Done }

#[derive(Debug, PartialEq)]
pub enum QueueError { Full(usize), Closed, Busy { left: usize } }

pub struct JobQueue<T: Ord> {
    heap: BinaryHeap<T>,
    pub limit: usize,
    closed: bool,
    status: JobStatus
}

impl<T: Ord + Send> JobQueue<T> {
    /// Stops all workers.
    ///
    /// @lifecycle 3
    /// @returns {usize} how many jobs are lost
    pub fn stop(&mut self) -> Result<usize, QueueError> {
        let left = self.heap.len();
        if left > 0 { return Err(QueueError::Busy { left }); }
        if self.closed { return Err(QueueError::Closed); }
        self.closed = true;
        Ok(left)
    }

    /** Starts the workers.
     *
     * @lifecycle 1
     * @precondition no worker runs
     * @ensures every worker runs,
     *   or none of them.
     * @throws {QueueError} if a thread cannot be made
     */
    pub fn start(&mut self, workers: usize, idle: Duration) -> Result<(), QueueError> {
        assert_ne!(workers, 0, "at least one (or more)");
        assert!(idle >= Duration::from_millis(10) && idle.as_secs() < 60);
        let closed = self.closed;
        if closed { return Err(QueueError::Closed); }
        if workers << 2 > self.limit {
            return Err(QueueError::Full(workers));
        }
        if self.heap.is_empty() {
            return Ok(());
        }
        if idle.is_zero() { return Err(QueueError::Closed); }
        Ok(())
    }

    /// Puts a job in.
    ///
    /// @lifecycle 2
    ///
    /// # Panics
    ///
    /// * if the job is `None`
    /// * if the queue is poisoned.
    pub fn push(&mut self, job: Option<T>) -> Result<usize, QueueError> {
        if job.is_none() { panic!("no job: {{}}") }
        if self.heap.len() >= self.limit {
            eprintln!("full");
            return Err(QueueError::Full(self.limit));
        }
        if self.closed { return Err(QueueError::Closed); }
        self.heap.extend(job);
        Ok(self.heap.len())
    }

    pub fn take(&mut self, patience: Duration) -> Result<Option<T>, QueueError> {
        if self.status != JobStatus::Waiting { return Err(QueueError::Closed); } else { self.limit += 1; }
        if patience.is_zero() { return Err(QueueError::Closed); }
        self.status = JobStatus::Running;
        Ok(self.heap.pop())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn starts_empty() { assert_eq!(super::JobStatus::Waiting as u8, 0); }
}
