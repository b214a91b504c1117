// Every class the embedded editor executes. What is not here passes its input through, and says so.
import type { NodeTable } from '../context.ts'
import { samplers } from './samplers.ts'
import { subgraphs } from './subgraphs.ts'
import { tags } from './tags.ts'

export const EXECUTE: NodeTable = { ...samplers, ...tags, ...subgraphs }
