/** A tensor as an argument: an array of its elements, row by row, or lists of its rows. */
type $Numbers<A> = (A & { readonly shape?: readonly number[] }) | readonly number[] | readonly $Numbers<A>[];

/** A tensor that a function returns: its elements, row by row. */
export type $Tensor<A> = A & { readonly shape: readonly number[] };

/** A check that failed while a function ran, or memory that was missing. */
export class $Error extends Error {
  code: string;
  file?: string;
  line?: number;
  column?: number;
  function?: string;
  index?: number;
  size?: number;
  number?: number;
}

/** Sets the function that gets what functions print, as text. By default it goes to the process or the console. */
export function $print(show: (text: string) => void): void;
