export * from './claim-guard';
export * from './envelope';
export * from './identity';
export * from './pages';
export * from './redrive';
export * from './redrive-row';
export * from './run-state';
export * from './sweep';
