// What a local server runs now, and the connections that it asked for.
import type { ReactNode } from 'react'
import type { LocalServer as Server } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { formatBytes, formatMoment } from '../../ui/format.ts'
import { STATES } from './local-server.ts'

type Of = { readonly server: Server }

const SHOWN = 20

function Rows({
  title,
  heads,
  about,
  children,
}: {
  readonly title: string
  readonly heads: readonly string[]
  readonly about?: string
  readonly children: readonly ReactNode[]
}) {
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col overflow-hidden">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{title}</h2>
      {children.length > 0 && (
        <div className="max-h-72 overflow-auto">
          <table aria-label={title} className="w-full text-left text-sm">
            <thead className="text-xs text-ink-3">
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col" className="py-2 pr-3 font-medium whitespace-nowrap first:pl-5 last:pr-5">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="[&_td]:border-t [&_td]:border-line [&_td]:py-1.5 [&_td]:pr-3 [&_td:first-child]:pl-5 [&_td:last-child]:pr-5">
              {children}
            </tbody>
          </table>
        </div>
      )}
      {about && <p className="px-5 py-3 text-sm text-pretty text-ink-3">{about}</p>}
    </section>
  )
}

export function LocalServerProcesses({ server: { processes, waiting, state } }: Of) {
  const waits = waiting > 0 ? t('Calls that wait for a process: {count}', { count: waiting }) : undefined
  const none =
    state === 'failed' ? t('No process runs. Restart the server.') : t('No process runs. The next call starts one.')
  return (
    <Rows
      title={t('Processes')}
      heads={[t('Process'), t('State'), t('Calls'), t('Memory'), t('Since')]}
      {...(processes.length === 0 ? { about: waits ?? none } : waits && { about: waits })}
    >
      {processes.map(({ pid, state: now, since, calls, memoryBytes }, at) => (
        <tr key={pid ?? `-${at}`}>
          <td className="font-mono text-xs">{pid ?? '–'}</td>
          <td>
            <Badge tone={STATES[now].tone} dot>
              {STATES[now].label}
            </Badge>
          </td>
          <td>{calls}</td>
          <td className="whitespace-nowrap">{memoryBytes ? formatBytes(memoryBytes) : '–'}</td>
          <td className="whitespace-nowrap text-ink-2">{formatMoment(since)}</td>
        </tr>
      ))}
    </Rows>
  )
}

/** The newest first. */
export function LocalServerConnections({ server: { network } }: Of) {
  return (
    <Rows
      title={t('Connections')}
      heads={[t('Host'), t('Result'), t('Time')]}
      {...(network.length === 0 && { about: t('It asked for no connection since the gateway started.') })}
    >
      {network
        .slice(-SHOWN)
        .toReversed()
        .map(({ at, host, port, refused }, index) => (
          <tr key={`${at} ${index}`} className="align-top">
            <td className="font-mono text-xs break-all">{`${host}:${port}`}</td>
            <td>
              {refused === null ? (
                <Badge tone="ok">{t('Connected')}</Badge>
              ) : (
                <>
                  <Badge tone="bad">{t('Refused')}</Badge>
                  <p className="mt-0.5 text-xs break-words text-ink-2">{refused}</p>
                </>
              )}
            </td>
            <td className="whitespace-nowrap text-ink-2">{formatMoment(at)}</td>
          </tr>
        ))}
    </Rows>
  )
}
