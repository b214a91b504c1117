// The page of one record: drawn once it is there; else its skeleton, the failure, or that there is no such record.
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '#contract'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { ErrorState } from './ErrorState.tsx'
import { PageSkeleton } from './Skeleton.tsx'

export type Missing = {
  readonly icon: LucideIcon
  readonly title: string
  readonly about: string
  /** The list it would be in. */
  readonly back: { readonly to: string; readonly label: string }
}

export function OneRecord<T>({
  query: { data, error, refetch },
  missing,
  children,
}: {
  readonly query: UseQueryResult<T>
  readonly missing: Missing
  readonly children: (record: T) => ReactNode
}) {
  // Also when it was there a moment ago: somebody deleted it.
  if (error instanceof ApiError && error.status === 404) return <NoSuchRecord {...missing} />
  if (data !== undefined) return children(data)
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <PageSkeleton />
}

function NoSuchRecord({ icon, title, about, back }: Missing) {
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
