export * from './simulated-clock.ts';
