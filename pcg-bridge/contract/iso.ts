// A moment, as every record of the contract writes it.
import { z } from 'zod'

export const Iso = z.string().describe('UTC, RFC 3339 with milliseconds')
