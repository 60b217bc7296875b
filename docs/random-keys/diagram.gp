# The phase diagram of random keys in (kappa, g), with the published scalings and finite rows. Data by `draw`.
set datafile separator ","
set datafile columnheaders
set terminal svg size 900,640 font "Helvetica,13" background "white"
set output out
# An exact number as the program writes it: 7/10.
fraction(s) = (strstrt(s, "/") > 0 ? real(s[1:strstrt(s, "/") - 1])/real(s[strstrt(s, "/") + 1:*]) : real(s))
set logscale xy
set xrange [0.2:1000]
set yrange [0.8:200]
set xlabel "kappa = m / ln n"
set ylabel "g = gamma (1 - rho)"
set key top right opaque
set label "an aligned key holds the row (self)" at 12,2
set label "spread" at 0.4,1.3
set label "few keys hold a row without one (condensed)" at 3,22
plot data."/lines.csv" using (fraction(strcol("kappa"))):"g_self.value" with lines lw 3 lc rgb "#0b5394" title "g_{self}", \
     data."/lines.csv" using (fraction(strcol("kappa"))):"g_cond.value" with lines lw 3 lc rgb "#990000" title "g_{cond}", \
     1 with lines dt 2 lw 2 lc rgb "#6fa8dc" title "log n: the simplex, g = 1", \
     sqrt(2*x) with lines dt 2 lw 2 lc rgb "#e06666" title "(log n)^{1/2}: random scores, g = (2 kappa)^{1/2}", \
     (x < 1.9 ? x*exp(2/x-1) : NaN) with lines dt 2 lw 2 lc rgb "#38761d" title "n^{2/m}: fixed dimension, g = kappa e^{2/kappa - 1}", \
     data."/transitions-3.csv" using (fraction(strcol("kappa"))):"self.value" with points pt 6 lc rgb "#333333" title "E A_{ii} = 1/2, n = 10^3", \
     data."/transitions-6.csv" using (fraction(strcol("kappa"))):"self.value" with points pt 4 lc rgb "#333333" title "n = 10^6", \
     data."/transitions-12.csv" using (fraction(strcol("kappa"))):"self.value" with points pt 8 lc rgb "#333333" title "n = 10^{12}"
