//! 도형 계산 - root of a crate for shapes.
//! `pub use nothing::{here, at_all};`

pub mod shapes;
#[path = "inner.rs"]
mod 내부;

pub use shapes::{Circle, Polygon as 다각형, curves::{Bezier, *}};
pub use crate::내부::반올림;

use std::ops::{Add, Mul};

pub(crate) mod util {
    pub fn clamp(x: f64) -> f64 { x.max(0.0).min(1.0) }
    pub const EPSILON: f64 = 1e-9;
}

pub const π: f64 = 3.141_592_653;
pub static 이름들: [&str; 2] = ["pub struct 가짜;", r"\"];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapeError { Nan, Few { got: usize }, Flat(f64) }

/// A vector in the plane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vec2<T = f64> where T: Copy { pub x: T, pub y: T }

macro_rules! impl_op {
    ($($op:ident :: $method:ident => $sign:tt;)+) => {$(
        impl<T: Copy + $op<Output = T>> $op for Vec2<T> {
            type Output = Vec2<T>;
            fn $method(self, o: Self) -> Self { Vec2 { x: self.x $sign o.x, y: self.y $sign o.y } }
        }
    )+};
}

impl_op! { Add::add => +; Mul::mul => *; }

impl<T: Copy> Vec2<T> {
    pub fn map<U: Copy, F>(self, f: F) -> Vec2<U> where F: Fn(T) -> U { Vec2 { x: f(self.x), y: f(self.y) } }
}

impl Vec2<f64> {
    /// Makes the vector one unit long.
    ///
    /// Invariant: the direction stays
    /// Returns: a vector of length 1.
    /// Errors: `Flat` for a vector without length
    pub fn unit(self, epsilon: f64) -> Result<Self, ShapeError> {
        if self.x.is_nan() || self.y.is_nan() { return Err(ShapeError::Nan) }
        let (x, y) = (self.x, self.y);
        let length = (x * x + y * y).sqrt();
        if !epsilon.is_finite() { return Err(ShapeError::Nan); }
        if length < epsilon { return Err(ShapeError::Flat(length)); }
        Ok(self.map(|v| v / length))
    }
}

/// 넓이를 가진 것.
pub trait 넓이<T = f64>: Sized
where
    T: Copy + Mul<Output = T>
{
    /// @pre the outline is closed.
    /// @post the result does not depend on
    ///       the order of the corners
    /// @invariant 점의 수 >= 3
    fn 계산(&self, corners: &[Vec2<T>]) -> Result<T, ShapeError>;

    fn scaled(&self, factor: T, corners: &[Vec2<T>; 3]) -> Result<T, ShapeError> {
        if corners.iter().filter(|c| { !std::ptr::eq(*c, &corners[0]) }).count() < 2 {
            return Err(ShapeError::Few { got: corners.len() });
        }
        Ok(factor * self.계산(corners)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    mod 단위 {
        #[test] fn 길이가_하나다() { assert!(super::π > 3.0, "#[test] fn x() {{}}"); }
    }

    fn near(a: f64, b: f64) -> bool { (a - b).abs() < util::EPSILON }

    #[test]
    fn adds() { assert!(near((Vec2 { x: 1.0, y: 2.0 } + Vec2::default()).x, 1.0)); }
}
