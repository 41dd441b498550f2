// Type definitions for geometry 3.1
/// <reference types="node" />
import { EventEmitter } from "node:events";
import type { Buffer as Bytes } from 'node:buffer';
import units = require("units");

/* export declare function ghost(): void; */

declare namespace geometry {
  export type Point = readonly [x: number, y: number, z?: number];

  export type Format<K extends string = "svg"> = K extends `${infer Head}-${infer _}` ? Format<Head> : { kind: K };

  /** Options of a drawing; `export interface Old {}` is gone. */
  export interface Options<F extends "svg" | "dxf" = "svg"> extends Partial<Record<"id" | "name", string>>, units.Scale {
    format?: Format<F>;
    get width(): number;
    set width(value: number | `${number}mm`);
    (at: Point): Options<F>;
    readonly [layer: number]: { draw(on: Bytes): void }; // a layer
    on?: { (event: "draw", then: (p: Point) => void): this; (event: string): this };
  }

  export const VERSION: string, EPSILON: 1e-9;
  export let precision: number;

  export enum DrawPhase {
    Open,
    Closed = 4,
    Filled = Open | Closed, // Lost
  }

  export type LayerState = 'hidden' | 'shown' | "locked";

  export type Estate = "house" | "flat";

  /**
   * The area of a shape.
   *
   * @precondition the shape does not cross itself
   * @returns {number} square units, never
   *   less than zero.
   * @throws {GeometryError} if it is open
   */
  export function area<S extends Shape | Point[]>(shape: S, unit?: S extends Shape ? keyof typeof units : never): number;

  export function load(path: string): Promise<Shape>;
  export function load(path: string, then: (error: Error | null, shape?: Shape) => void): void;

  export class GeometryError extends Error {
    private constructor();
    readonly at: Point;
    private origin(): Point;
  }

  export interface Shape extends EventEmitter, Iterable<Point> {}
}

declare function geometry(points: Iterable<geometry.Point>): geometry.Shape;
declare function geometry<F extends "svg" | "dxf">(
  text: `<${F}>${string}`,
  options?: geometry.Options<F>, // may be { }
): geometry.Shape | undefined;

declare global {
  interface Array<T> {
    toShape(this: geometry.Point[], close?: T): geometry.Shape;
  }
  function drawAll(shapes: geometry.Shape[]): void;
}

declare const hidden: unique symbol;

export = geometry;
