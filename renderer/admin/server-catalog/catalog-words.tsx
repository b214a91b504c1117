// How an entry of the server catalogue reads.
import { TriangleAlert } from 'lucide-react'
import type { ListedServer, ServerPackage, ServerVariable, ShownServer } from '#contract'
import { t } from '../../language/language.ts'
import { formatMoment } from '../../ui/format.ts'

export const PROOFS: Readonly<Record<ListedServer['publisher']['proof'], string>> = {
  github: t('GitHub account, proved to the registry'),
  domain: t('domain, proved to the registry'),
  none: t('not proved'),
}
export const SCRIPTS: Readonly<Record<ShownServer['installScripts'][number], string>> = {
  none: t('None'),
  not_run: t('Has one; it is not run'),
  unknown: t('Unknown: the registry of the package did not say'),
}

export const packageText = ({ kind, identifier, version }: ServerPackage): string =>
  `${kind} ${identifier}${version === null ? '' : ` ${version}`}`

export function variableText({ name, required, secret }: ServerVariable): string {
  if (secret) return required ? t('{name} (required, secret)', { name }) : t('{name} (secret)', { name })
  return required ? t('{name} (required)', { name }) : name
}

export function StaleNote({ source: { readAt, problem } }: { readonly source: ShownServer['source'] }) {
  if (problem === null) return null
  return (
    <p
      role="status"
      className="mx-6 my-3 flex max-w-3xl items-start gap-2 rounded-md bg-warn-soft px-4 py-2.5 text-sm text-warn"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">
        {t('The registry cannot be read ({problem}). This is from the cache, as of {time}.', {
          problem,
          time: formatMoment(readAt),
        })}
      </span>
    </p>
  )
}
