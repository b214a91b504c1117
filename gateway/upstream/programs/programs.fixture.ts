// Programs as tests of this folder start them: without network and secrets, and with little patience.
import { createLog } from '../../telemetry/log.ts'
import { createPrograms } from './index.ts'

type Options = Parameters<typeof createPrograms>[0]

export const somePrograms = (given: Partial<Options>): ReturnType<typeof createPrograms> =>
  createPrograms({
    host: { PATH: process.env['PATH'], HOME: '/home/nobody' },
    isDesktop: false,
    home: import.meta.dirname,
    store: '/nonexistent',
    hidden: [],
    pin: () => Promise.reject(new Error('no network')),
    self: { version: '1.0.0' },
    maxLineBytes: 1_000_000,
    log: createLog({ format: 'json', level: 'error', write: () => undefined }),
    monotonic: () => performance.now(),
    clock: Date,
    random: () => 0,
    patience: { inputMs: 300, termMs: 300 },
    secretOf: async () => undefined,
    onListChanged: () => undefined,
    onFacts: () => undefined,
    ...given,
  })
