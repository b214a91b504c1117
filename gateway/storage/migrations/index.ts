// The migrations in order. Forward only: a published file is never edited, a change is a new file at the end.
import { house } from './0001-house.ts'
import type { Migration } from './migration.ts'

export const MIGRATIONS: readonly Migration[] = [house]
