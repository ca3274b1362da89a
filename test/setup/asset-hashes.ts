import type { NewPlugin } from 'pretty-format';

const ASSET_HASH = /[0-9a-f]{64}/;

/** Blanks the hashes of assets in snapshots, so that a snapshot of a template changes when the template does, not whenever the code of a function does. */
const assetHashes: NewPlugin = {
  test: (value: unknown) => typeof value === 'string' && ASSET_HASH.test(value),
  serialize: (value: string, config, indentation, depth, refs, printer) =>
    printer(value.replace(new RegExp(ASSET_HASH, 'g'), '[asset hash]'), config, indentation, depth, refs),
};

module.exports = assetHashes;
