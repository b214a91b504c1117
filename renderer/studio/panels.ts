// The table of panels, by side of the canvas. A panel is a row here and a file in panels/, inspect/ or collaboration/.
import {
  BadgeCheck,
  Box,
  Eye,
  Files,
  GitCompare,
  History,
  ListTree,
  type LucideIcon,
  PenTool,
  SlidersHorizontal,
  SlidersVertical,
  TriangleAlert,
  Undo2,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import { t } from '../language/language.ts'
import type { Side } from './panel-places.ts'

/** The props of a panel: the editor and the open graph. */
export type PanelProps = { readonly editor: string; readonly graph: string | null }

export type PanelRow = {
  readonly id: string
  readonly title: string
  readonly side: Side
  readonly icon: LucideIcon
  readonly Body: ComponentType<PanelProps>
}

export const PANELS: readonly PanelRow[] = [
  {
    id: 'graphs',
    title: t('Graphs'),
    side: 'left',
    icon: Files,
    Body: lazy(async () => ({ default: (await import('./panels/GraphsPanel.tsx')).GraphsPanel })),
  },
  {
    id: 'outline',
    title: t('Outline'),
    side: 'left',
    icon: ListTree,
    Body: lazy(async () => ({ default: (await import('./panels/OutlinePanel.tsx')).OutlinePanel })),
  },
  {
    id: 'steps',
    title: t('Steps'),
    side: 'left',
    icon: Undo2,
    Body: lazy(async () => ({ default: (await import('./panels/StepsPanel.tsx')).StepsPanel })),
  },
  {
    id: 'properties',
    title: t('Properties'),
    side: 'right',
    icon: SlidersHorizontal,
    Body: lazy(async () => ({ default: (await import('./panels/PropertiesPanel.tsx')).PropertiesPanel })),
  },
  {
    id: 'parameters',
    title: t('Parameters'),
    side: 'right',
    icon: SlidersVertical,
    Body: lazy(async () => ({ default: (await import('./panels/ParametersPanel.tsx')).ParametersPanel })),
  },
  {
    id: 'level',
    title: t('Level'),
    side: 'right',
    icon: Box,
    Body: lazy(async () => ({ default: (await import('./panels/LevelPanel.tsx')).LevelPanel })),
  },
  {
    id: 'problems',
    title: t('Findings'),
    side: 'bottom',
    icon: TriangleAlert,
    Body: lazy(async () => ({ default: (await import('./findings/FindingsPanel.tsx')).FindingsPanel })),
  },
  {
    id: 'verify',
    title: t('Verify'),
    side: 'bottom',
    icon: BadgeCheck,
    Body: lazy(async () => ({ default: (await import('./verify/VerifyPanel.tsx')).VerifyPanel })),
  },
  {
    id: 'activity',
    title: t('Activity'),
    side: 'right',
    icon: History,
    Body: lazy(async () => ({ default: (await import('./collaboration/ActivityPanel.tsx')).ActivityPanel })),
  },
  {
    id: 'versions',
    title: t('Versions'),
    side: 'right',
    icon: GitCompare,
    Body: lazy(async () => ({ default: (await import('./collaboration/VersionsPanel.tsx')).VersionsPanel })),
  },
  {
    id: 'draw',
    title: t('Draw'),
    side: 'bottom',
    icon: PenTool,
    Body: lazy(async () => ({ default: (await import('./draw/DrawPanel.tsx')).DrawPanel })),
  },
  {
    id: 'data',
    title: t('Data'),
    side: 'bottom',
    icon: Eye,
    Body: lazy(async () => ({ default: (await import('./inspect/LookPanel.tsx')).LookPanel })),
  },
]
