// The badges of a tool: method and limits.
import { EyeOff, Lock, ShieldAlert, ShieldCheck, Tag } from 'lucide-react'
import type { ToolRow } from '#contract'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge, type Tone } from '../../ui/Badge.tsx'

const METHOD_TONES: Readonly<Record<string, Tone>> = {
  GET: 'ok',
  HEAD: 'ok',
  POST: 'info',
  PUT: 'warn',
  PATCH: 'warn',
  DELETE: 'bad',
}

export function ToolMethod({ tool: { method, kind } }: { readonly tool: ToolRow }) {
  return method ? (
    <Badge tone={METHOD_TONES[method] ?? 'neutral'} className="font-mono">
      {method}
    </Badge>
  ) : (
    <Badge tone="outline">{kind}</Badge>
  )
}

export function ToolFlags({ tool }: { readonly tool: ToolRow }) {
  const { missing, sensitive, requiresApproval, enabled, features, annotations } = tool
  const guarded = features.includes('guards')
  return (
    <span className="flex gap-1">
      {missing && <Badge tone="bad">{rich('{eyeoff} missing', { eyeoff: <EyeOff /> })}</Badge>}
      {!enabled && <Badge>{t('off')}</Badge>}
      {sensitive && <Badge tone="warn">{rich('{shieldalert} sensitive', { shieldalert: <ShieldAlert /> })}</Badge>}
      {requiresApproval && <Badge tone="warn">{rich('{lock} approval', { lock: <Lock /> })}</Badge>}
      {guarded && <Badge tone="info">{rich('{shieldcheck} guarded', { shieldcheck: <ShieldCheck /> })}</Badge>}
      {annotations.readOnlyHint === true && <Badge tone="outline">{t('reads')}</Badge>}
      {tool.tags.slice(0, 2).map((tag) => (
        <Badge key={tag} tone="outline">
          <Tag /> {tag}
        </Badge>
      ))}
    </span>
  )
}
