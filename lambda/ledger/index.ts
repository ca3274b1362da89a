export * from './identity';
export * from './pages';
