export { openPostgresRegisterStore, type PostgresRegisterStoreOptions } from "./postgres-register-store.ts";
