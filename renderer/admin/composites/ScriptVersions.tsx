// The versions of a script, each with what it changed: the text, the tools and the schemas, as an approval is of all of them.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type CompositeDetail, lineDiff, type ScriptVersion } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { LineDiff } from '../../ui/LineDiff.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function ScriptVersions({ composite }: { readonly composite: CompositeDetail }) {
  const list = useQuery({
    queryKey: ['composites', 'versions', composite.name, String(composite.revision)],
    queryFn: () => api.composites.versions({ params: { name: composite.name } }),
  })
  const items = list.data?.items ?? []
  return (
    <section aria-label={t('Versions of the script')} className="flex flex-col gap-2">
      <h2 className="eyebrow">{t('Versions of the script')}</h2>
      {list.isPending && <Skeleton className="h-10" />}
      {list.error && <ErrorNote error={list.error} />}
      {items.map((version, at) => (
        <Version
          key={version.version}
          version={version}
          before={before(items, at)}
          // What a reviewer has to read.
          opened={at === 0 && composite.approved === false}
        />
      ))}
    </section>
  )
}

/** The last approved one before it: what was read then needs no second reading. */
const before = (items: readonly ScriptVersion[], at: number): ScriptVersion | undefined =>
  items.slice(at + 1).find(({ approvedBy }) => approvedBy !== null) ?? items[at + 1]

const approvedText = ({ source, tools, inputSchema, outputSchema }: ScriptVersion): string =>
  [
    source.trimEnd(),
    '',
    `// tools: ${tools.join(', ')}`,
    `// input: ${JSON.stringify(inputSchema)}`,
    `// output: ${JSON.stringify(outputSchema)}`,
  ].join('\n')

function Version({
  version,
  before: earlier,
  opened,
}: {
  readonly version: ScriptVersion
  readonly before: ScriptVersion | undefined
  readonly opened: boolean
}) {
  const [open, setOpen] = useState(opened)
  return (
    <details open={open} className="card px-4 py-2 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer">
        {t('Version {number} by {author}', { number: version.version, author: version.author })} ·{' '}
        <RelativeTime at={version.createdAt} />
        {version.approvedBy !== null && ` · ${t('Approved by {person}', { person: version.approvedBy })}`}
      </summary>
      {open && (
        <div className="mt-2 flex flex-col gap-1.5">
          {earlier && (
            <p className="text-xs text-ink-3">{t('Compared with version {number}', { number: earlier.version })}</p>
          )}
          <LineDiff
            label={t('Changes of version {number}', { number: version.version })}
            lines={lineDiff(earlier ? approvedText(earlier) : '', approvedText(version))}
          />
        </div>
      )}
    </details>
  )
}
