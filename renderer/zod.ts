// `zod` as every module of the build imports it. It interprets its schemas: the page's policy forbids eval.
import { z } from 'zod/v4'

z.config({ jitless: true })

export * from 'zod/v4'
