declare module 'dynalite' {
  import type { Server } from 'node:http';
  interface Options {
    /** Milliseconds that a table stays CREATING. */
    readonly createTableMs?: number;
    /** Milliseconds that a table stays DELETING. */
    readonly deleteTableMs?: number;
  }
  /** Makes the server; it does not listen yet. */
  export default function dynalite(options?: Options): Server;
}
