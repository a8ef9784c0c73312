export { DatabaseImport } from "./importing.ts";
export { openPostgresLog, type PostgresLog, type PostgresLogOptions } from "./log/postgres-log.ts";
export { PersonalKeyTable } from "./personal-keys.ts";
export { openPostgresRegisterStore, type PostgresRegisterStoreOptions } from "./postgres-register-store.ts";
