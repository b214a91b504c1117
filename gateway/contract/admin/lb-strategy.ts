// How the next server of a pool is chosen. Contract 9.2.
import { z } from 'zod'

export const LB_STRATEGIES = ['round-robin', 'weighted', 'least-conn', 'random'] as const

/** The other spellings are those of older clients. */
export const LbStrategy = z
  .enum([...LB_STRATEGIES, 'round_robin', 'least_conn'])
  .transform((given) => (given === 'round_robin' ? 'round-robin' : given === 'least_conn' ? 'least-conn' : given))
  .pipe(z.enum(LB_STRATEGIES))
export type LbStrategy = z.output<typeof LbStrategy>
