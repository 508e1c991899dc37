import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  readonly kind?: "main" | "usual" | "plain" | "danger";
  readonly size?: "small" | "usual";
  readonly icon?: IconName;
  /** What it is called where it shows an icon alone. */
  readonly label?: string;
  readonly isBusy?: boolean;
  readonly children?: ReactNode;
}

export function Button({
  kind = "usual",
  size = "usual",
  icon,
  label,
  isBusy = false,
  children,
  className = "",
  disabled,
  type = "button",
  ...rest
}: ButtonProps) {
  const classes = [
    "button",
    `button-${kind}`,
    `button-${size}`,
    children === undefined ? "button-icon" : "",
    className,
  ];
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      className={classes.filter(Boolean).join(" ")}
      {...(label === undefined ? {} : { "aria-label": label, title: label })}
    >
      {icon !== undefined && <Icon name={isBusy ? "busy" : icon} />}
      {children}
    </button>
  );
}
