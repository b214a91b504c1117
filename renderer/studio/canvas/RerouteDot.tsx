// A reroute point of an edge.
import type { NodeProps } from '@xyflow/react'
import { memo } from 'react'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import type { RerouteNode } from './flow.ts'

export const RerouteDot = memo(function RerouteDot({ selected }: NodeProps<RerouteNode>) {
  return (
    <div
      title={t('Reroute')}
      className={cx('size-full rounded-full border-2 bg-surface', selected ? 'border-ring' : 'border-ink-3')}
    />
  )
})
