/**
 * These buttons have an icon before their words, or an icon alone, whose words appear beside it on
 * hover.
 */
import { ActionIcon, Button, Tooltip, type ActionIconProps, type ButtonProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { Icon, type IconName } from './Icon.tsx'

type WithNative<Own> = Own & Omit<ComponentProps<'button'>, keyof Own>

export interface IconButtonProps extends WithNative<ButtonProps> {
  icon?: IconName
  label: string
  /** In pixels. */
  iconSize?: number
}

export function IconButton({ icon, label, iconSize = 16, ...rest }: IconButtonProps) {
  return (
    <Button leftSection={icon && <Icon name={icon} size={iconSize} />} {...rest}>
      {label}
    </Button>
  )
}

/** `children`: the picture. */
export function ToolButton({ label, ...rest }: WithNative<ActionIconProps> & { label: string }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest} />
    </Tooltip>
  )
}
