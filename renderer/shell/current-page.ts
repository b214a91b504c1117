// The row of the page on screen, if it is one of the table.
import { useMatches } from '@tanstack/react-router'
import { PAGES, type PageRow } from '../pages.ts'

export function useCurrentPage(): PageRow | undefined {
  const path = useMatches({ select: (matches) => String(matches.at(-1)?.fullPath ?? '') })
  return PAGES.find((page) => page.path === path)
}
