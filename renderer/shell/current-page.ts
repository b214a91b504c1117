// The table row of the current page; an inner page uses its parent's.
import { useMatches } from '@tanstack/react-router'
import { INNER_PAGES, PAGES, type PageRow } from '../pages.ts'

export function useCurrentPage(): PageRow | undefined {
  const path = useMatches({ select: (matches) => String(matches.at(-1)?.fullPath ?? '') })
  const inner = INNER_PAGES.find((page) => page.path === path)
  const page = PAGES.find((row) => row.path === (inner?.of ?? path))
  return page && inner ? { ...page, access: inner.access } : page
}
