// The page of a record: loading, error, not found, or content.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '#contract'
import { t } from '../language/language.ts'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { ErrorState } from './ErrorState.tsx'
import { PageSkeleton } from './Skeleton.tsx'

type Missing = {
  readonly icon: LucideIcon
  readonly title: string
  readonly about?: string
  /** Its list. */
  readonly back: { readonly to: string; readonly label: string }
}

const LISTS: Readonly<Record<string, string>> = {
  backends: t('All backends'),
  budgets: t('All budgets'),
  bundles: t('All bundles'),
  composites: t('All composites'),
  consumers: t('All consumers'),
  keys: t('All keys'),
  policies: t('All policies'),
  teams: t('All teams'),
  traces: t('All traces'),
}

export function OneRecord<T>({
  kind,
  plural = kind,
  noun,
  param,
  read,
  icon,
  about,
  children,
}: Omit<Missing, 'title' | 'back'> & {
  /** The first word of its queries. */
  readonly kind: string
  /** The name of its list, in the address too. */
  readonly plural?: string
  readonly noun: string
  /** The URL parameter of the record. */
  readonly param: string
  readonly read: (name: string) => Promise<T>
  readonly children: (record: T, name: string) => ReactNode
}) {
  const { [param]: name = '' }: Readonly<Record<string, string | undefined>> = useParams({ strict: false })
  const query = useQuery({ queryKey: [kind, 'one', name], queryFn: () => read(name) })
  const title =
    param === 'name' ? t('There is no {noun} called {name}', { noun, name }) : t('There is no such {noun}', { noun })
  const back = { to: `/${plural}`, label: LISTS[plural] ?? plural }
  return (
    <Loaded query={query} missing={{ icon, title, back, ...(about && { about }) }}>
      {(record) => children(record, name)}
    </Loaded>
  )
}

export function Loaded<T>({
  query: { data, error, refetch },
  missing,
  children,
}: {
  readonly query: UseQueryResult<T>
  readonly missing: Missing
  readonly children: (record: T) => ReactNode
}) {
  // Also if it was loaded before: another user deleted it.
  if (error instanceof ApiError && error.status === 404) return <NoSuchRecord {...missing} />
  if (data !== undefined) return children(data)
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <PageSkeleton />
}

function NoSuchRecord({ icon, title, about = t('It may have been deleted.'), back }: Missing) {
  return (
    <div className="pt-[12vh]">
      <EmptyState
        heading="h1"
        icon={icon}
        title={title}
        about={about}
        action={
          <Link to={back.to} className={buttonClass({})}>
            {back.label}
          </Link>
        }
      />
    </div>
  )
}
