// Arguments that are kept, to call a tool with them again. Contract 7.3.
import { z } from 'zod'

const MOST_BYTES = 16_384
const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length

export const ExampleArgs = z
  .record(z.string(), z.unknown())
  .refine((args) => utf8Bytes(JSON.stringify(args)) <= MOST_BYTES, 'must be at most 16 KiB of JSON')
