// A small area graph on a canvas. Colors come from the style sheet, so that themes apply.

const kSlots = 120;

export function drawGraph(canvas, values) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (width === 0) return;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const line = style.getPropertyValue('--graph');
  const fill = style.getPropertyValue('--graph-fill');
  const base = height - 1;
  context.strokeStyle = style.getPropertyValue('--graph-base');
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, base + 0.5);
  context.lineTo(width, base + 0.5);
  context.stroke();

  const shown = values.slice(-kSlots);
  if (shown.length < 2) return;
  const most = Math.max(4, ...shown);
  const step = width / (kSlots - 1);
  const left = width - (shown.length - 1) * step;
  const y = (value) => base - (value / most) * (height - 6);
  context.beginPath();
  shown.forEach((value, i) => context.lineTo(left + i * step, y(value)));
  context.strokeStyle = line;
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.stroke();
  context.lineTo(width, base);
  context.lineTo(left, base);
  context.closePath();
  context.fillStyle = fill;
  context.fill();
}
