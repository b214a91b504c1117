// The folders in which commands of local servers are looked for, and where that list is from.
import { useQuery } from '@tanstack/react-query'
import type { LocalServerList } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'

const SOURCES: Readonly<Record<LocalServerList['pathFrom'], string>> = {
  login_shell: t('The PATH of your login shell. Restart the application after you change it.'),
  environment: t('The PATH that the gateway was started with. Restart the gateway after you change it.'),
  registry: t('The PATH of Windows for this computer and user, as it is now; then that of the start of the gateway.'),
}

/** Windows separates with `;`, since `:` is behind the letter of a drive. */
const foldersOf = (path: string): readonly string[] =>
  path.split(path.includes(';') || /^[A-Za-z]:[\\/]/.test(path) ? ';' : ':').filter(Boolean)

export function LocalServerSearch() {
  const { data } = useQuery({ queryKey: ['localServers'], queryFn: () => api.localServers.list(), retry: false })
  if (!data) return null
  const folders = foldersOf(data.path)
  return (
    <section aria-label={t('Search path')} className="card flex min-w-0 flex-col">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Search path')}</h2>
      <div className="flex flex-col gap-2 px-5 py-3">
        <p className="text-sm text-pretty text-ink-2">{SOURCES[data.pathFrom]}</p>
        {folders.length === 0 ? (
          <p className="text-sm text-ink-3">{t('It names no folder.')}</p>
        ) : (
          <ol
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
            tabIndex={0}
            aria-label={t('Folders of the search path')}
            className="max-h-48 overflow-auto font-mono text-xs leading-5 break-all"
          >
            {[...new Set(folders)].map((folder) => (
              <li key={folder}>{folder}</li>
            ))}
          </ol>
        )}
      </div>
    </section>
  )
}
