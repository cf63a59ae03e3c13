#!/bin/sh
# A client without a model that first does what the test says: the words of `act-N-K` beside the play are for attempt K at session N.
case " $* " in *" --version "*) echo "99.0.0 (Claude Code)"; exit 0 ;; esac
rest=${2#*--session }
number=${rest%% *}
beside=$(dirname "$PLAY")
echo x >>"$beside/turns-$number"
turn=$(($(wc -l <"$beside/turns-$number")))
echo "$PWD" >>"$beside/places-$number"
env >"$beside/environment-$number-$turn"
case $(cat "$beside/act-$number-$turn" 2>/dev/null) in
gate)
    tries=1200
    while [ ! -e "$beside/gate" ] && [ $tries -gt 0 ]; do
        sleep 0.1
        tries=$((tries - 1))
    done
    ;;
after)
    sh "$(dirname "$0")/quick_client.sh" "$@"
    touch "$beside/committed-$number"
    sleep 1000
    ;;
stubborn)
    trap '' TERM HUP
    sleep 1000 &
    while :; do sleep 1; done
    ;;
secret)
    echo "the key is $ANTHROPIC_API_KEY"
    kill -KILL $$
    ;;
esac
exec sh "$(dirname "$0")/quick_client.sh" "$@"
