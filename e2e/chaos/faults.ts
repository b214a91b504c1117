// The faults a gateway has to survive, and what must hold for each. The scenarios loop over this table, and docs/security.md shows it.

export const SQLITE = 'e2e/scenarios/chaos.test.ts'
export const POSTGRES = 'e2e/scenarios/chaos-postgres.test.ts'

type Fault = {
  readonly fault: string
  readonly holds: string
}

/** What holds for every fault, so that no row repeats it. */
export const ALWAYS = 'Afterwards every answered call has its row, no call ran twice, and the audit chain verifies.'

export const FAULTS = {
  'kill-9': {
    fault: '`kill -9` during calls and admin writes',
    holds:
      'The next start needs no help. Every answered call has its row; every answered admin write is there with its audit entry.',
  },
  stopped: {
    fault: 'The process is stopped (`SIGSTOP`) and continued',
    holds: 'Calls under way end in one answer each. Sessions stay valid.',
  },
  'full-disk': {
    fault: 'The disk is full',
    holds:
      'The process stays alive. Admin writes fail with a 5xx code and change nothing. A call that cannot be recorded is not answered as a success. Calls are refused before they are made, and everything works again when there is space, without a restart.',
  },
  'journal-torn': {
    fault: '`kill -9` cuts off the last line of the journal',
    holds: 'The next start inserts every whole line. The call of the torn line was not answered.',
  },
  'journal-older': {
    fault: 'After a `kill -9` the next start is one of another version, whose rows have other columns',
    holds: 'Rows are read by the names of their columns.',
  },
  'journal-twice': {
    fault: 'A journal is found again that was inserted already',
    holds: 'No row is there twice.',
  },
  'slow-disk': {
    fault: 'Each `fsync` takes 300 ms',
    holds: 'Calls and admin writes succeed, only later.',
  },
  'upstream-hangs': {
    fault: 'A backend accepts a request and never answers',
    holds: 'Failure `timeout` at the time limit of the tool. Other backends answer in the meantime.',
  },
  'upstream-drips': {
    fault: 'A backend sends a byte now and then, for ever',
    holds: 'Failure `timeout` at the same limit: it is a total deadline, not an idle timer.',
  },
  'upstream-half-closes': {
    fault: 'A backend closes before the announced length',
    holds: 'Failure `network`; no partial answer is passed on.',
  },
  'upstream-resets': {
    fault: 'A backend resets the connection in the middle of a body',
    holds: 'Failure `network`. A call that is not safe to repeat is not repeated.',
  },
  'upstream-garbage': {
    fault: 'A backend answers bytes that are no HTTP',
    holds: 'Failure `network`; the connection is not used again.',
  },
  'clock-jumps': {
    fault: 'The clock of the machine jumps an hour or ten years, forward and back',
    holds: 'No session ends, no lease is lost and no call fails.',
  },
  'dns-hangs': {
    fault: 'Name resolution never answers',
    holds:
      'A registration that needs the name fails within its time limit. Registered backends are called at their stored address.',
  },
  'dns-fails': {
    fault: 'Name resolution answers `SERVFAIL`',
    holds: 'As above, at once.',
  },
  'dns-empty': {
    fault: 'Name resolution answers no address',
    holds: 'As above, at once.',
  },
  'dns-changes': {
    fault: 'A name suddenly means another address',
    holds: 'Calls still go to the stored address, never to the new one.',
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof FAULTS

/** The same for instances that share a PostgreSQL server. */
export const ON_POSTGRES = {
  killed: {
    fault: 'the leader is killed (kill -9)',
    must: 'the standby leads',
  },
  stopped: {
    fault: 'the leader is stopped (SIGSTOP) under calls, and continues',
    must: 'the standby leads, the old leader does not lead again, both serve',
  },
  stoppedInTransaction: {
    fault: 'the leader is stopped in a transaction that holds the audit chain',
    must: 'the standby leads, logins and calls go on, and the frozen transaction is rolled back (security case ST-08)',
  },
  cut: {
    fault: 'the connections of the leader are cut, and new ones refused',
    must: 'calls are answered or refused 503; the standby leads; both serve again',
  },
  dropped: {
    fault: 'the network of the leader drops everything',
    must: 'calls end, refused 503; the standby leads; both serve again',
  },
  slow: {
    fault: 'the server is slow',
    must: 'calls are answered',
  },
  serverStopped: {
    fault: 'the processes of the server that work for the leader are stopped',
    must: 'calls end and are answered again over new connections, though the processes stay stopped',
  },
  serverKilled: {
    fault: 'a process of the server is killed, and the server recovers',
    must: 'calls are answered or refused 503; both serve again',
  },
  fullDisk: {
    fault: 'the disk of the server is full',
    must: 'calls are refused 503 and answered again when there is space',
  },
} as const

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Both tables as Markdown. */
export const faultTable = (): string =>
  [
    `With SQLite (\`${SQLITE}\`):`,
    '',
    '| Fault | What holds |',
    '|---|---|',
    ...Object.values(FAULTS).map(({ fault, holds }) => `| ${fault} | ${holds} |`),
    '',
    `With a leader and a standby on one PostgreSQL server (\`${POSTGRES}\`):`,
    '',
    '| Fault | What holds |',
    '|---|---|',
    ...Object.values(ON_POSTGRES).map(({ fault, must }) => `| ${capital(fault)} | ${capital(must)} |`),
  ].join('\n')
